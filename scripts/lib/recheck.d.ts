/** The checker in pure JavaScript, which the package has no types for: the other one starts a binary or a Java machine. */
declare module "recheck/lib/browser.js" {
  const recheck: { checkSync: typeof import("recheck").checkSync };
  export default recheck;
}
