/** The file that shows every process of this machine the newest transaction of a wallet, and the lock under which it is changed. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LockedError, lockFile, writePrivateFile } from '#kernel/system'
import type { SignedTransaction } from '../chain/transactions.ts'
import type { OperationType } from '../contract/services.ts'

/** The newest transaction of the wallet. */
export interface SlotAttempt {
  readonly type: OperationType
  readonly clientRequestId: string
  /** Base units as decimal text. */
  readonly amount: string
  readonly target: string | null
  readonly signed: SignedTransaction & { readonly earlier: readonly `0x${string}`[] }
  /** Who replaces it when its fee is too low: a database cannot learn of the replacements of a command. */
  readonly owner: SlotOwner
  readonly outcome?: 'confirmed' | 'failed'
  readonly error?: string
  /** A command printed the outcome. */
  readonly isReported?: true
}

/** A command has no database; the service has, and takes over the transactions that commands leave. */
export type SlotOwner = 'command' | 'service'

export interface HeldSlot extends Disposable {
  /** Returns undefined when the wallet has sent nothing since the file was made. */
  read(): SlotAttempt | undefined
  /** Durable when it returns. */
  write(attempt: SlotAttempt): void
}

export interface WalletSlot {
  readonly path: string
  /** I-50: only the holder signs, sends and settles transactions of the wallet. Undefined while another one holds it. */
  hold(): HeldSlot | undefined
  /** Reads without the lock; the file is replaced atomically. */
  read(): SlotAttempt | undefined
}

interface SlotPlace {
  readonly configPath: string
  readonly chainId: number
  readonly address: string
}

/** Commands and the service find the file by the configuration that they share. */
export function openWalletSlot({ configPath, chainId, address }: SlotPlace): WalletSlot {
  const path = join(dirname(configPath), 'wallet', `${chainId}-${address.toLowerCase()}.json`)
  const read = () => readAttempt(path)
  return {
    path,
    read,
    hold() {
      try {
        const lock = lockFile(`${path}.lock`)
        return {
          read,
          write: (attempt) => writePrivateFile(path, `${JSON.stringify(attempt, null, 2)}\n`),
          [Symbol.dispose]: () => lock[Symbol.dispose](),
        }
      } catch (cause) {
        if (cause instanceof LockedError) return undefined
        const { message } = cause as Error
        throw new Error(`${path} cannot be locked, so the wallet sends nothing: ${message}. Make the folder writable for svc`, { cause })
      }
    },
  }
}

function readAttempt(path: string): SlotAttempt | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SlotAttempt
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    // A transaction could be paid twice without it.
    throw new Error(
      `${path} records the newest transaction of the wallet and cannot be read: ${(cause as Error).message}. Make it readable; delete it only when a block explorer shows no pending transaction of the wallet.`,
      { cause },
    )
  }
}
