/** A progress bar on the terminal; nothing where the output is no terminal. */
import { formatBytes, toLine } from "./text.js";

const BAR_CHARACTERS = 24;
/** Some terminals report no width, or 0. */
const DEFAULT_COLUMNS = 80;

export class Progress {
  #done = 0;
  #bytes = 0;
  #total;
  #label;
  #isShown;

  /** @param {string} label @param {number} total @param {boolean} [isShown] */
  constructor(label, total, isShown = process.stderr.isTTY) {
    this.#label = label;
    this.#total = total;
    this.#isShown = isShown && total > 0;
    this.#draw("");
  }

  /** @param {string} name of what is done @param {{ count?: number, bytes?: number }} [more] */
  add(name, { count = 1, bytes = 0 } = {}) {
    this.#done += count;
    this.#bytes += bytes;
    this.#draw(name);
  }

  end() {
    if (this.#isShown) process.stderr.write("\r\u001b[K");
  }

  /** @param {string} name */
  #draw(name) {
    if (!this.#isShown) return;
    const filled = Math.round((this.#done / this.#total) * BAR_CHARACTERS);
    const bar = "█".repeat(filled) + "░".repeat(BAR_CHARACTERS - filled);
    const size = this.#bytes > 0 ? ` ${formatBytes(this.#bytes)}` : "";
    const line = `${this.#label} ${bar} ${this.#done}/${this.#total}${size} ${name}`;
    process.stderr.write(
      `\r${toLine(line, (process.stderr.columns || DEFAULT_COLUMNS) - 1)}\u001b[K`,
    );
  }
}
