/**
 * @recipe a command
 * Declare `defineCommand({ name, summary, examples, load })` in a `-command.ts` file, contributed through `cliCommands.with(…)`; its code
 * is in the file that `load` imports. Its `run` names the parameters and flags that it reads, as in
 * `CommandCall<{ id: string }, { limit: number | undefined }>`, and the declaration compiles only if it gives them. It calls the Admin API
 * with `openAdminClient`, and prints with `formatTable` and `formatFacts`, from `#cli`.
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
  load(): Promise<CommandModule>
}

interface CommandModule {
  run(call: CommandCall): Promise<number | undefined>
}

export interface FlagSpec {
  /** A switch is false unless given, a list is empty; a duration is milliseconds. */
  readonly type: 'text' | 'switch' | 'number' | 'duration' | 'list' | readonly string[]
  readonly description: string
  readonly short?: string
  readonly default?: string | number
  readonly required?: boolean
  /** Limits of a whole number. `min` without `max` has no effect; its default is 1. */
  readonly min?: number
  readonly max?: number
}

type FlagSpecs = Readonly<Record<string, FlagSpec>>

/** A line as the code of a command reads it: `P` and `F` are its parameters and flags by camel-cased name. */
export interface CommandCall<P = unknown, F = unknown> {
  readonly parameters: Readonly<P>
  /** Keys are camel-cased names; a duration is milliseconds. */
  readonly flags: Readonly<F> & { readonly config?: string | undefined }
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

interface FlagValues {
  readonly text: string
  readonly switch: boolean
  readonly number: number
  readonly duration: number
  readonly list: readonly string[]
}

type FlagValue<T extends FlagSpec['type']> = T extends readonly string[] ? T[number] : FlagValues[T & keyof FlagValues]

type AlwaysGiven = { readonly required: true } | { readonly default: string | number } | { readonly type: 'switch' | 'list' }

/** Declared flags as the code reads them. */
type FlagsOf<F extends FlagSpecs> = {
  readonly [K in keyof F]: FlagValue<F[K]['type']> | (F[K] extends AlwaysGiven ? never : undefined)
}

type CamelCase<Words extends string> = Words extends `${infer Word} ${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Words

/** `<access key>` is `accessKey: string`, `[key]` is `key: string | undefined`, `<pairs...>` is `pairs: readonly string[]`. */
type ParametersOf<P extends readonly string[]> = { readonly [K in P[number] as CamelCase<WordsOf<K>>]: ParameterValue<K> }

type WordsOf<K extends string> = K extends `<${infer Words}...>` | `[${infer Words}...]`
  ? Words
  : K extends `<${infer Words}>` | `[${infer Words}]`
    ? Words
    : never

type ParameterValue<K extends string> = K extends `${string}...${string}`
  ? readonly string[]
  : K extends `<${string}`
    ? string
    : string | undefined

type RunOf<P extends readonly string[], F extends FlagSpecs> = (
  call: CommandCall<ParametersOf<P>, FlagsOf<F>>,
) => Promise<number | undefined>

/** Names that the code reads and the declaration does not give; an optional one would not fail otherwise. */
type Undeclared<Run, P extends readonly string[], F extends FlagSpecs> = Run extends (call: infer Call) => unknown
  ? Call extends { readonly parameters: infer Parameters; readonly flags: infer Flags }
    ? Exclude<keyof Parameters, keyof ParametersOf<P>> | Exclude<keyof Flags, keyof F | 'config'>
    : never
  : never

/** Does not compile unless the declaration gives each parameter and flag that the code reads, with its type. */
export function defineCommand<
  const P extends readonly string[] = [],
  const F extends FlagSpecs = Record<never, never>,
  Run extends RunOf<P, F> = RunOf<P, F>,
>(
  spec: Omit<Command, 'parameters' | 'flags' | 'load'> & {
    readonly parameters?: P
    readonly flags?: F
    load(): Promise<{ readonly run: Run }>
  } & ([Undeclared<Run, P, F>] extends [never] ? unknown : { readonly undeclared: Undeclared<Run, P, F> }),
): Command {
  return spec as unknown as Command
}
