/**
 * @recipe a command
 * Declare `defineCommand({ name, summary, examples, load })` in a `-command.ts` file, contributed through `cliCommands.with(…)`; its code
 * is in the file that `load` imports. It calls the Admin API with `openAdminClient`, and prints with `formatTable` and `formatFacts`, from
 * `#cli`.
 */
import { defineExtensionPoint } from './core/extension-point.ts'

/** A command of `svc`, cheap to declare; its code is loaded when it runs. */
export interface Command {
  /** Words, such as `admin task retry`. */
  readonly name: string
  /** One line for lists of commands. */
  readonly summary: string
  /** Shown under `--help`: complete lines that work, with what they do. */
  readonly examples: readonly (readonly [line: string, meaning: string])[]
  /** Names such as `<id>`, `[key]`, `<pairs...>`. Words inside are separated by spaces, not dashes. */
  readonly parameters?: readonly string[]
  readonly flags?: Readonly<Record<string, FlagSpec>>
  /** Why `--config` is refused, as `it keeps its own configuration in --dir`. Default: the flag is accepted. */
  readonly noConfig?: string
  load(): Promise<{ readonly run: (call: CommandCall) => Promise<number | undefined> }>
}

export interface FlagSpec {
  readonly type: 'text' | 'switch' | 'number' | 'duration' | 'list' | readonly string[]
  readonly description: string
  readonly short?: string
  readonly default?: string | number | boolean
  readonly required?: boolean
}

export interface CommandCall {
  readonly parameters: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Keys are camel-cased names; a duration is milliseconds. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Start of relative paths on the line. Default: the working directory of the process. */
  readonly cwd?: string
  readonly out: Output
}

/** Where a command writes: results on stdout (JSON alone under `--json`), everything else on stderr. */
export interface Output {
  readonly isJson: boolean
  readonly isTerminal: boolean
  /** The result: the object under `--json`, else the text. */
  result(value: unknown, text: string): void
  note(line: string): void
  /** Reads a line that the terminal does not show. Undefined: there is no terminal. */
  askSecret?(question: string): Promise<string> | undefined
  /** Writes part of a streamed result: bytes of an object, lines of events. Resolves when the reader can take more. */
  write(part: string | Uint8Array): Promise<void>
  /** Redraws the whole screen of a terminal. For `isTerminal` only. */
  refresh(text: string): void
  /** Replaces the line that it wrote before, on standard error; '' removes it. Undefined without a terminal there, and under `--json`. */
  readonly progress: ((line: string) => void) | undefined
}

/** A failed command with its exit code: 2 for a usage error, 4 when `svc doctor` could not check, 1 for everything else. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: 1 | 2 | 4

  constructor(message: string, { exitCode = 1, cause }: { readonly exitCode?: 1 | 2 | 4; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}

export const cliCommands = defineExtensionPoint<Command>('cli.commands')

export function defineCommand(spec: Command): Command {
  return spec
}
