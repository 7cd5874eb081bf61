/** Internal services of this plugin. */
import { defineService } from '#kernel'
import type { WalletTurn } from './operations/wallet-turn.ts'

export const walletTurn = defineService<WalletTurn>('wallet.turn')
