/** Who and what has access: people who sign in, apps and agents with a grant, and API keys. */
import { choiceControl, textControl } from "../../respond/answer/fields.js";
import { fill, h } from "../../respond/ui/dom.js";
import { openSheet } from "../../respond/ui/sheet.js";
import { ago, clock } from "../../respond/ui/time-format.js";
import { api, household } from "../household.js";
import { loadExecutors, nameMember } from "../names.js";
import {
  buildButton,
  buildForm,
  buildHead,
  buildItem,
  buildProblem,
  buildRows,
  buildSection,
  confirmAct,
  showOnce,
} from "../parts.js";
import { findText, text } from "../texts.js";
import { toMemberId } from "./members.js";

const ROLES = ["executor", "agent", "member", "owner"];

/** @param {string} role */
const nameRole = (role) => findText(`role_${role}`, role);

const buildRoleChoice = () =>
  choiceControl(
    text("role"),
    ROLES.map((role) => [role, nameRole(role)]),
    { value: "agent" },
  );

/** @param {string} title @param {string} label @param {(actor: string, role: string, label: string) => Promise<void>} make */
function openMaker(title, label, make) {
  const name = textControl(text("name"), { required: true });
  const role = buildRoleChoice();
  const form = buildForm({ children: [name.element, role.element], label }, async () => {
    const words = name.value().trim();
    await make(toMemberId(words) || words, role.value(), words);
    sheet.close();
  });
  const sheet = openSheet(title, [form]);
}

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showAccess(place) {
  const invite = () =>
    openMaker(text("invite"), text("make_link"), async (actor, role) => {
      const { url } = await api("/api/v1/sign-in-links", { method: "POST", json: { actor, role } });
      showOnce(text("sign_in_link"), text("sign_in_link_how"), url);
      await reload();
    });
  const makeKey = () =>
    openMaker(text("new_key"), text("make_key"), async (actor, role, label) => {
      const { key } = await api("/api/v1/keys", { method: "POST", json: { actor, role, label } });
      showOnce(text("new_key"), text("new_key_how"), key);
      await reload();
    });
  /** @param {string} path @param {string} question @param {string} label */
  const end = (path, question, label) =>
    confirmAct(question, label, async () => {
      await api(path, { method: "DELETE" });
      await reload();
    });

  /** @param {any} person */
  const buildPerson = ({ actor, role, passkeys, sessions, since }) =>
    buildItem(
      nameMember(actor),
      [
        nameRole(role),
        text("passkeys", { n: passkeys }),
        text("devices", { n: sessions }),
        ago(since),
      ],
      actor === household().actor
        ? []
        : [
            buildButton(text("end_access"), () =>
              end(
                `/api/v1/people/${encodeURIComponent(actor)}`,
                text("end_person_question", { name: nameMember(actor) }),
                text("end_access"),
              ),
            ),
          ],
    );
  /** @param {any} grant */
  const buildGrant = ({ id, client, person, actor, role, used, created }) =>
    buildItem(
      String(client ?? actor),
      [nameRole(role), text("for_person", { name: nameMember(person) }), ago(used ?? created)],
      [
        buildButton(text("end_access"), () =>
          end(
            `/api/v1/grants/${id}`,
            text("end_app_question", { name: client ?? actor }),
            text("end_access"),
          ),
        ),
      ],
    );
  /** @param {any} key */
  const buildKey = ({ id, actor, role, label, last_used, expires, created }) =>
    buildItem(
      label ?? nameMember(actor),
      [
        nameMember(actor),
        nameRole(role),
        last_used ? text("last_used", { ago: ago(last_used) }) : text("never_used"),
        expires && text("expires", { time: clock(expires) }),
        clock(created),
      ],
      [
        buildButton(text("revoke"), () =>
          end(
            `/api/v1/keys/${id}`,
            text("revoke_question", { name: label ?? actor }),
            text("revoke"),
          ),
        ),
      ],
    );

  async function reload() {
    try {
      const [{ people }, { grants }, { keys }] = await Promise.all([
        api("/api/v1/people"),
        api("/api/v1/grants"),
        api("/api/v1/keys"),
        loadExecutors(),
      ]);
      fill(
        place,
        buildHead(text("access"), "#more"),
        buildSection(
          text("people"),
          buildRows(people.map(buildPerson), text("no_people")),
          buildButton(text("invite"), invite),
        ),
        buildSection(
          text("apps"),
          h("p", { class: "faint" }, text("apps_how")),
          h("p", { class: "secret", dir: "ltr" }, h("code", {}, `${location.origin}/mcp`)),
          buildRows(grants.map(buildGrant), text("no_apps")),
        ),
        buildSection(
          text("keys"),
          buildRows(keys.map(buildKey), text("no_keys")),
          buildButton(text("new_key"), makeKey),
        ),
      );
    } catch (error) {
      fill(place, buildHead(text("access"), "#more"), buildProblem(error));
    }
  }
  return { reload };
}
