/** A household with an AI group: its ops, two agents with keys of their own, and strangers to the group. */
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  type TestHousehold,
} from "../../support.ts";

export interface Member {
  caller: Caller;
  id: string;
}

export class GroupScene {
  readonly home: TestHousehold;
  readonly group: string;
  readonly ops: Member;
  readonly indy: Member;
  readonly rocky: Member;

  constructor(
    home: TestHousehold,
    group: string,
    members: Record<"ops" | "indy" | "rocky", Member>,
  ) {
    this.home = home;
    this.group = group;
    this.ops = members.ops;
    this.indy = members.indy;
    this.rocky = members.rocky;
  }

  path = (rest = ""): string => `/groups/${this.group}${rest}`;

  trySend = (
    from: Member,
    to: Member,
    content: string,
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    from.caller.post(this.path("/messages"), { to_id: to.id, content, ...more }, headers);

  send = async (from: Member, to: Member, content: string, more?: object): Promise<Answered> =>
    await expectOkJson(await this.trySend(from, to, content, more));

  read = (reader: Member | Caller, query = ""): Promise<Answered> =>
    ("caller" in reader ? reader.caller : reader).read(this.path(`/messages?${query}`));

  readContents = async (reader: Member | Caller, query = ""): Promise<string[]> =>
    (await this.read(reader, query)).messages.map(({ content }: { content: string }) => content);
}

export const postOk = async (caller: Caller, path: string, body: unknown): Promise<Answered> =>
  await expectOkJson(await caller.post(path, body));

export async function joinAs(caller: Caller, group: string, my_name: string): Promise<Member> {
  const { my_id } = await postOk(caller, `/groups/${group}/members`, { my_name });
  return { caller, id: my_id };
}

export async function createScene(): Promise<GroupScene> {
  const home = await createFreshHousehold();
  const created = await postOk(home.agent, "/groups", { topic: "Project X", my_name: "boss" });
  const group: string = created.group_id;
  const ops = { caller: home.agent, id: created.my_id as string };
  const indy = await joinAs(await home.addMember("indy", "agent"), group, "indy");
  const rocky = await joinAs(await home.addMember("rocky", "agent"), group, "rocky");
  return new GroupScene(home, group, { ops, indy, rocky });
}
