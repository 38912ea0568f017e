/** Defects of `npm run deploy` that lose secrets, or use the stores of another program. */
import type { Mutant } from "./mutant.ts";

const tests = ["unit/scripts/deploy"];

export const DEPLOYMENT_MUTANTS: readonly Mutant[] = [
  {
    name: "deploy: a repeated deployment replaces the secrets",
    file: "scripts/lib/deploy/deploy-secrets.ts",
    find: "if (!deployed.includes(name) || isReplaced)",
    replace: "if (deployed.length < 100 || isReplaced)",
    tests,
  },
  {
    name: "deploy: the stores of another program are used",
    file: "scripts/lib/deploy/deploy.ts",
    find: "    await checkNamesAreFree(api, account, names);\n",
    replace: "",
    tests,
  },
  {
    name: "deploy: the code is switched although the set-up is not recorded",
    file: "scripts/lib/deploy/deploy.ts",
    find: "    await writeRecord(api, account, namespace, { started: tools.now().toISOString() });\n  }\n  const database",
    replace: "  }\n  const database",
    tests,
  },
];
