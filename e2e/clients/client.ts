/** What a client's driver is: how it is found, what its user writes once, and the commands of each step. */
import type { S3Client } from '@aws-sdk/client-s3'

/** The bucket of every recipe. */
export const bucket = 'photos'

export interface Client {
  /** For `npm run test:clients -- <name>`, and the marker of its recipe in docs/guide/s3-clients.md. */
  readonly name: string
  readonly program: Program
  readonly language: Language
  /** Precedes the commands of every step. */
  readonly settings: string
  /** Size of parts.bin in MiB: more than one part of the client. Default 20. */
  readonly partsMiB?: number
  readonly steps: readonly Step[]
  /** Names of the steps for which the client has no command, with the reason. */
  readonly notOffered?: Readonly<Record<string, string>>
  /** True when its commands are those of another client: the guide shows only its settings. */
  readonly isVariant?: true
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
  /** A download that its program makes by itself. */
  readonly download?: Download
  /** Why it is not tested with the default sizes. */
  readonly needsAnySize?: string
  /** Shell commands that run after the last step, also after a failed one. */
  readonly cleanup?: string
}

/** Several programs may have one name, such as the two versions of `aws`. */
export interface Program {
  readonly name: string
  readonly versionArgs: readonly string[]
  readonly version: RegExp
}

/** A client whose download is unreachable is reported as skipped. Any other failure of its commands is left to the round. */
interface Download {
  readonly commands: string
  /** Matches the output of the commands when the download is unreachable. */
  readonly unreachable: RegExp
  readonly reason: string
}

export interface Language {
  /** Language of the fenced blocks in the guide. */
  readonly fence: string
  /** Installs packages or compiles the steps, in the directory of the round. */
  prepare?(client: Client, place: Place): Promise<void>
  /** Program and arguments that run one step. */
  command(client: Client, step: Step): readonly string[]
}

export interface Place {
  /** Working directory and home of all steps. */
  readonly dir: string
  /** Directory of the client's program. */
  readonly programDir: string
}

export interface Step {
  readonly name: string
  readonly commands: string
  /** Changes that other clients made before. */
  before?(round: Round): Promise<unknown>
  /** Compares the result with `round.s3`, another client. Throws when it differs. */
  check(round: Round, output: string): Promise<unknown>
}

export interface Round extends Place {
  readonly s3: S3Client
}
