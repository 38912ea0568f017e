/** The pure JavaScript build of recheck, which has no types; the default build starts a native binary or Java. */
declare module "recheck/lib/browser.js" {
  const recheck: { checkSync: typeof import("recheck").checkSync };
  export default recheck;
}
