import type { Operation, OperationStore } from './operation-store.ts'
import type { SlotAttempt, WalletSlot } from './wallet-slot.ts'

/** Ids of requests of commands; those of the service are other ones. */
export const commandPrefix = 'command-'

/** Whether an operator has seen what became of it, if it is the transaction of a command. */
export const isReported = (attempt: SlotAttempt): boolean =>
  attempt.isReported === true || !attempt.clientRequestId.startsWith(commandPrefix)

/** The records of a command, which has no database: the slot keeps what was signed, and a request that was not signed ends with the command. */
export function createSlotStore(slot: Pick<WalletSlot, 'read'>, address: string): OperationStore & { request(operation: Requested): void } {
  let requested: Operation | undefined
  const isOpen = (attempt: SlotAttempt | undefined) => attempt !== undefined && attempt.outcome === undefined
  const base = { id: 0, wallet: address, status: 'pending', signed: null, lastError: null } as const
  return {
    request: (operation) => {
      requested = { ...base, target: null, ...operation }
    },
    async find({ type, id }) {
      const attempt = slot.read()
      const found = attempt?.type === type && attempt.clientRequestId === id ? toOperation(attempt, address) : undefined
      if (requested?.type !== type || requested.clientRequestId !== id) return found
      // Another process may have written its own transaction since: what was signed once is never signed again.
      requested = found ?? requested
      return requested
    },
    async listOpen() {
      const attempt = slot.read()
      return attempt && isOpen(attempt) ? [toOperation(attempt, address)] : []
    },
    // The unreported outcome of a killed command must stay: the repetition of that command would pay twice without it.
    async claim() {
      const attempt = slot.read()
      return attempt === undefined || (!isOpen(attempt) && isReported(attempt))
    },
    release: async () => {},
    async recordSigned(operation, signed) {
      requested = { ...operation, status: 'submitted', signed: { ...signed, earlier: [] } }
      return true
    },
    recordReplacement: async () => true,
    doubt: async () => {},
    async finish(operation, { status, error }) {
      if (requested && keyOf(requested) === keyOf(operation)) requested = { ...requested, status, lastError: error ?? null }
    },
    adopt: async (attempt) => toOperation(attempt, address),
  }
}

type Requested = Pick<Operation, 'type' | 'clientRequestId' | 'amount'> & Partial<Pick<Operation, 'target'>>

const keyOf = ({ type, clientRequestId }: Operation): string => `${type} ${clientRequestId}`

function toOperation({ type, clientRequestId, amount, target, signed, outcome, error }: SlotAttempt, wallet: string): Operation {
  return { type, clientRequestId, amount, target, signed, id: 0, wallet, status: outcome ?? 'submitted', lastError: error ?? null }
}
