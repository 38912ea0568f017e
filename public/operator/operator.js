/**
 * The operator's page. The key is sent as a header, never as a cookie, so that another site cannot use it (CSRF), and is
 * kept in the session storage of this tab only. Everything is shown as text.
 */

const KEY = "mess-operator-key";

/**
 * @typedef {{ id: string, created?: string, suspended?: string,
 *   health: { overdue_since?: string, dead_letters?: number, unavailable?: true },
 *   usage?: Record<string, number> }} Household
 * @typedef {{ ok: boolean, milliseconds: number }} Store
 */

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
const find = (id, kind) => {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page lacks #${id}`);
  return element;
};

const signInForm = find("sign-in", HTMLFormElement);
const keyField = find("key", HTMLInputElement);
const overview = find("overview", HTMLElement);
const statusLine = find("status", HTMLElement);
const moreButton = find("more", HTMLButtonElement);
const linkText = find("link-text", HTMLInputElement);

/** @type {string | undefined} */
let nextCursor;

/** @param {string} path @param {string} [method] @param {object} [body] @returns {Promise<any>} */
async function call(path, method = "GET", body) {
  const response = await fetch(path, {
    method,
    credentials: "omit",
    headers: {
      Accept: "application/json",
      Authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 401) signOut();
  throw new Error([answer.error?.message, answer.error?.hint].filter(Boolean).join(". "));
}

/** Shows what failed, and keeps the page usable. @param {() => Promise<string | void>} work */
async function run(work) {
  statusLine.textContent = "";
  try {
    statusLine.textContent = (await work()) ?? "";
  } catch (error) {
    statusLine.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** @param {string} tag @param {string} text @param {string} [className] */
function makeElement(tag, text, className = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
}

/** @param {string} text @param {() => Promise<string | void>} work */
function makeButton(text, work) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", () => void run(work));
  return button;
}

/** @param {Household["health"]} health */
const describeHealth = ({ unavailable, overdue_since: since, dead_letters: dead = 0 }) =>
  [
    unavailable ? "does not respond" : "",
    since ? `work is overdue since ${new Date(since).toLocaleString()}` : "",
    dead > 0 ? `${dead} jobs were given up` : "",
  ]
    .filter(Boolean)
    .join(", ");

/** @param {Household} household */
function buildItem({ id, created, suspended, health, usage = {} }) {
  const item = document.createElement("li");
  item.dataset["household"] = id;
  const problems = describeHealth(health);
  const counts = Object.entries(usage).map(
    ([name, count]) => `${name.replaceAll("_", " ")}: ${count.toLocaleString()}`,
  );
  item.append(
    makeElement("h3", id),
    ...(created ? [makeElement("p", `created ${new Date(created).toLocaleDateString()}`)] : []),
    makeElement("p", counts.join(" · ")),
    makeElement("p", problems || "healthy", problems ? "alarm" : ""),
    ...(suspended
      ? [makeElement("p", `suspended since ${new Date(suspended).toLocaleString()}`, "alarm")]
      : []),
    makeButton(suspended ? "Resume" : "Suspend", async () => {
      if (!suspended && !confirm(`Suspend ${id}? All its calls are refused until you resume it.`))
        return;
      const path = `/api/v1/households/${id}/suspension`;
      const answer = await call(path, suspended ? "DELETE" : "PUT");
      const changed = buildItem(answer.household);
      item.replaceWith(changed);
      changed.querySelector("button")?.focus();
      return suspended ? `${id} is resumed.` : `${id} is suspended.`;
    }),
    makeButton("Sign-in link for the owner", () => showLink(id)),
  );
  return item;
}

/** @param {string} id */
async function showLink(id) {
  const { url } = await call(`/api/v1/households/${id}/sign-in-links`, "POST", {});
  linkText.value = url;
  find("link", HTMLElement).hidden = false;
  linkText.focus();
  linkText.select();
}

async function showMore() {
  const query = nextCursor === undefined ? "" : `?cursor=${encodeURIComponent(nextCursor)}`;
  const { households, next_cursor: next } = await call(`/api/v1/households${query}`);
  find("households", HTMLElement).append(...households.map(buildItem));
  nextCursor = next;
  moreButton.hidden = next === undefined;
}

async function showOverview() {
  const { stores, version } = await call("/api/v1/health");
  signInForm.hidden = true;
  overview.hidden = false;
  find("stores", HTMLElement).replaceChildren(
    ...Object.entries(/** @type {Record<string, Store>} */ (stores)).map(([name, store]) =>
      makeElement(
        "li",
        `${name.toUpperCase()} ${store.ok ? `responds in ${store.milliseconds} ms` : "does not respond"}`,
      ),
    ),
    makeElement("li", `version ${version}`),
  );
  find("households", HTMLElement).replaceChildren();
  nextCursor = undefined;
  await showMore();
}

function signOut() {
  sessionStorage.removeItem(KEY);
  overview.hidden = true;
  find("link", HTMLElement).hidden = true;
  linkText.value = "";
  find("households", HTMLElement).replaceChildren();
  signInForm.hidden = false;
  keyField.focus();
}

signInForm.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, keyField.value.trim());
  keyField.value = "";
  void run(showOverview);
});
find("create", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void run(async () => {
    const id = find("id", HTMLInputElement).value;
    // The owner's key in the response is not needed: the owner signs in by the link.
    await call("/api/v1/households", "POST", {
      id,
      time_zone: find("zone", HTMLInputElement).value,
    });
    await showOverview();
    await showLink(id);
    return `${id} is created.`;
  });
});
moreButton.addEventListener("click", () => void run(showMore));
find("sign-out", HTMLButtonElement).addEventListener("click", signOut);
find("zone", HTMLInputElement).value = Intl.DateTimeFormat().resolvedOptions().timeZone;

if (sessionStorage.getItem(KEY) === null) signOut();
else void run(showOverview);
