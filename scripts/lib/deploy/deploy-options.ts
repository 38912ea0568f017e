/** Command line options of `npm run deploy`. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "../options.ts";

export const DEPLOY_USAGE = `npm run deploy -- [options]

  --dry-run            print the plan and build the Worker; needs no account
  --name NAME          name of the Worker and of its stores (that of wrangler.toml);
                       give the same name every time
  --domain HOST        custom domain in a zone of your account, such as
                       mess.example.org              (the workers.dev address)
  --household ID       id of the first household                        (home)
  --household-name N   its display name
  --time-zone ZONE     its time zone                         (that of this machine)
  --no-household       create no household
  --secrets-file FILE  keep a copy of the secrets in FILE; secrets that it has
                       already are used instead of new ones
  --new-operator-key   replace the operator's key; needs --secrets-file
  --sign-in-link       print another sign-in link for the owner of the household
  --help               show this text`;

export interface DeployOptions {
  dryRun: boolean;
  name: string | undefined;
  domain: string | undefined;
  /** Undefined if none is to be created. */
  household: { id: string; name: string | undefined; timeZone: string } | undefined;
  secretsFile: string | undefined;
  newOperatorKey: boolean;
  signInLink: boolean;
}

/** Workers are named like host names; the name of the Worker is part of its workers.dev address. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,52}[a-z0-9])?$/;
const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const HOUSEHOLD_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Parses the arguments after the script's name; undefined for --help.
 * @throws UsageError
 */
export function readDeployOptions(args: readonly string[]): DeployOptions | undefined {
  const values = parseOptions(args);
  if (values.help) return undefined;
  const { name, domain, household = "home", "secrets-file": file } = values;
  if (name !== undefined && !NAME.test(name))
    throw new UsageError(
      `--name ${name}: must be 1 to 54 lower-case letters, digits and dashes, such as family-exchange`,
    );
  if (domain !== undefined && !HOST.test(domain))
    throw new UsageError(
      `--domain ${domain}: must be a host name without https://, such as mess.example.org`,
    );
  if (!HOUSEHOLD_ID.test(household))
    throw new UsageError(
      `--household ${household}: must be 1 to 63 lower-case letters, digits and dashes`,
    );
  if (values["new-operator-key"] && file === undefined)
    throw new UsageError("--new-operator-key needs --secrets-file, where the new key is kept");
  const created = {
    id: household,
    name: values["household-name"],
    timeZone: values["time-zone"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  return {
    dryRun: values["dry-run"] ?? false,
    name,
    domain,
    household: values["no-household"] ? undefined : created,
    secretsFile: file === undefined ? undefined : resolve(file),
    newOperatorKey: values["new-operator-key"] ?? false,
    signInLink: values["sign-in-link"] ?? false,
  };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        "dry-run": { type: "boolean" },
        name: { type: "string" },
        domain: { type: "string" },
        household: { type: "string" },
        "household-name": { type: "string" },
        "time-zone": { type: "string" },
        "no-household": { type: "boolean" },
        "secrets-file": { type: "string" },
        "new-operator-key": { type: "boolean" },
        "sign-in-link": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    const [first] = (error as Error).message.split(/[.\n]/);
    throw new UsageError(first ?? "the options are invalid");
  }
}
