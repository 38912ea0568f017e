/** The Worker's bindings: Node has none of them, and only passes over what names their type. */
interface Env {
  readonly [binding: string]: unknown;
}
