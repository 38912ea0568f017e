/** Reloads the list when it is pulled down, like the refresh button. */

/** Finger movement in pixels that triggers a reload. */
const PULL_PX = 90;

/**
 * @param {HTMLElement} mark shows the progress of the pull
 * @param {() => Promise<void>} reload
 */
export function onPull(mark, reload) {
  /** @type {number | undefined} */
  let from;
  let far = 0;

  const show = () => {
    const part = Math.min(1, far / PULL_PX);
    mark.style.setProperty("--pulled", String(part));
    mark.classList.toggle("pulled", far > 8);
    mark.classList.toggle("enough", part === 1);
  };

  addEventListener(
    "touchstart",
    ({ touches }) => {
      const inDialog = document.querySelector("dialog[open]");
      from = scrollY <= 0 && touches.length === 1 && !inDialog ? touches[0]?.clientY : undefined;
      far = 0;
    },
    { passive: true },
  );
  addEventListener(
    "touchmove",
    ({ touches }) => {
      if (from === undefined) return;
      far = scrollY <= 0 ? Math.max(0, (touches[0]?.clientY ?? from) - from) : 0;
      show();
    },
    { passive: true },
  );
  const end = () => {
    const enough = from !== undefined && far >= PULL_PX;
    from = undefined;
    far = 0;
    if (!enough) return show();
    mark.classList.add("busy");
    void reload().finally(() => {
      mark.classList.remove("busy");
      show();
    });
  };
  addEventListener("touchend", end, { passive: true });
  addEventListener("touchcancel", end, { passive: true });
}
