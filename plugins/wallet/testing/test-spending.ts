import { toSpendingLimits } from '../chain/spending-policy.ts'

/** The defaults of `chain.spending` on a devnet. */
export const testSpending = toSpendingLimits(
  {
    max_fee_per_gas_nanofil: 10,
    max_transaction_fee_millifil: 1000,
    approved_usdfc_per_month: 1000,
    approved_lockup_usdfc: 2000,
    approved_lockup_days: 30,
  },
  { epochSeconds: 1 },
)
