/** What the server says of itself. Settings are its texts. */
export interface ServerState {
  readonly fsync: string
  readonly fullPageWrites: string
  /** `transaction_read_only` of a new transaction: also `on` at a standby and during a recovery. */
  readonly readOnly: string
  /** 1 at a standby and during a recovery. */
  readonly recovering: number
}

/** Select list of a `ServerState`. */
export const serverColumns = `current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
  current_setting('transaction_read_only') as "readOnly", pg_is_in_recovery()::int as recovering`

export interface ServerProblem {
  readonly problem: string
  readonly repair: string
}

const on = 'in the configuration of the server, and restart or reload it'

/** Reasons for which a crash of the server may lose what it confirmed. `database.allow_unsafe` accepts them. */
export function unsafeSettings({ fsync, fullPageWrites }: Pick<ServerState, 'fsync' | 'fullPageWrites'>): readonly ServerProblem[] {
  return [
    ...(fsync === 'on'
      ? []
      : [
          {
            problem: `fsync is ${fsync}, so a crash of its machine loses confirmed writes and may damage the whole database`,
            repair: `set fsync = on ${on}`,
          },
        ]),
    ...(fullPageWrites === 'on'
      ? []
      : [
          {
            problem: `full_page_writes is ${fullPageWrites}, so pages that are half written in a crash stay damaged`,
            repair: `set full_page_writes = on ${on}`,
          },
        ]),
  ]
}

/** Why the server takes no writes. */
export function readOnlyReason({ readOnly, recovering }: Pick<ServerState, 'readOnly' | 'recovering'>): ServerProblem | undefined {
  if (recovering === 1) {
    return { problem: 'it is a standby or still recovering', repair: 'name the primary server in database.dsn, or wait for the recovery' }
  }
  if (readOnly === 'off') return undefined
  return {
    problem: 'its transactions are read-only',
    repair: 'set default_transaction_read_only = off for the role, the database and the server',
  }
}
