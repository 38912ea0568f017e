/** Recurring requests: when each is made next, and how to end it. */
import { fill } from "../../respond/ui/dom.js";
import { clock } from "../../respond/ui/time-format.js";
import { api } from "../household.js";
import { loadExecutors, nameMember } from "../names.js";
import {
  buildButton,
  buildHead,
  buildItem,
  buildProblem,
  buildRows,
  confirmAct,
} from "../parts.js";
import { text } from "../texts.js";

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showSchedules(place) {
  /** @param {string} id @param {string} intent */
  const remove = (id, intent) =>
    confirmAct(text("end_schedule_question", { name: intent }), text("end_schedule"), async () => {
      await api(`/api/v1/schedules/${encodeURIComponent(id)}`, { method: "DELETE" });
      await reload();
    });

  /** @param {any} schedule */
  const buildSchedule = ({ id, by, cron, request, next, paused }) =>
    buildItem(
      request?.intent ?? id,
      [
        paused ? text("paused") : next && text("next_time", { time: clock(next) }),
        cron,
        nameMember(by),
      ],
      [buildButton(text("end_schedule"), () => remove(id, request?.intent ?? id))],
    );

  async function reload() {
    try {
      const [{ schedules }] = await Promise.all([api("/api/v1/schedules"), loadExecutors()]);
      fill(
        place,
        buildHead(text("schedules"), "#more"),
        buildRows(schedules.map(buildSchedule), text("no_schedules")),
      );
    } catch (error) {
      fill(place, buildHead(text("schedules"), "#more"), buildProblem(error));
    }
  }
  return { reload };
}
