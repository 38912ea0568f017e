/** `mess completion`: scripts that complete commands and options in a shell. */
import { listOptions, readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";

const USAGE = "mess completion bash|zsh|fish";

/** @typedef {import("../lib/command.js").Command} Command */

/** @param {() => readonly Command[]} listCommands @returns {Command} */
export const defineCompletion = (listCommands) => ({
  name: "completion",
  summary: "Print a script that completes commands and options in your shell",
  usage: [USAGE],
  words: ["bash", "zsh", "fish"],
  examples: [
    ["mess completion bash > ~/.local/share/bash-completion/completions/mess", "for bash"],
    ["mess completion zsh > ~/.zfunc/_mess", "for zsh, with ~/.zfunc in fpath"],
    ["mess completion fish > ~/.config/fish/completions/mess.fish", "for fish"],
  ],
  run: async (context) => {
    const [shell = ""] = readArguments(context, ["SHELL"], USAGE);
    const write = { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell];
    if (!write) throw usageError(`there is no completion for ${shell}`, `Write: ${USAGE}`);
    const script = write(listCommands());
    context.show({ shell, script }, () => script);
  },
});

/** The words that may follow the command. @param {Command} command */
const listWords = (command) => [
  ...(command.words ?? []),
  ...Object.keys(listOptions(command)).map((name) => `--${name}`),
];

/** @param {readonly Command[]} commands */
const writeBash = (commands) => `# bash completion of mess
_mess() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="help ${commands.map(({ name }) => name).join(" ")}"
  else
    case \${COMP_WORDS[1]} in
${commands.map((one) => `      ${one.name}) words="${listWords(one).join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _mess mess
`;

/** @param {string} text */
const quote = (text) => text.replaceAll("'", "'\\''");

/** @param {readonly Command[]} commands */
const writeZsh = (commands) => `#compdef mess
_mess() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${quote(summary)}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map((one) => `    ${one.name}) compadd -- ${listWords(one).join(" ")} ;;`).join("\n")}
  esac
  _files
}
_mess "$@"
`;

/** @param {readonly Command[]} commands */
const writeFish = (commands) => `# fish completion of mess
${commands
  .flatMap((command) => [
    `complete -c mess -n __fish_use_subcommand -f -a ${command.name} -d '${quote(command.summary)}'`,
    ...(command.words ?? []).map(
      (word) => `complete -c mess -n '__fish_seen_subcommand_from ${command.name}' -f -a ${word}`,
    ),
    ...Object.entries(listOptions(command)).map(
      ([name, { short, type, help }]) =>
        `complete -c mess -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${short ? ` -s ${short}` : ""}${type === "string" ? " -r" : ""} -d '${quote(help)}'`,
    ),
  ])
  .join("\n")}
`;
