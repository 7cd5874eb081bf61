import { component$ } from '@builder.io/qwik'
import { Card, Copyable, Count, formatExactCount, KeyValue, KeyValues } from '@svc/ui-kit'
import type { Wallet } from './runway-policy.ts'

/** Address, chain, contracts and counters of the wallet. */
export const IdentityCard = component$<{ wallet: Wallet }>(({ wallet: { identity, chain, contracts, business } }) => (
  <Card title="Identity">
    <KeyValues>
      <KeyValue label="Address">
        <Copyable text={identity?.address} label="address of the wallet" />
      </KeyValue>
      <KeyValue label="Network">{chain && `${chain.network}, chain ${chain.chain_id}`}</KeyValue>
      <KeyValue label="Next nonce">{formatExactCount(identity?.nonce)}</KeyValue>
      <KeyValue label="Epoch">{formatExactCount(chain?.current_epoch)}</KeyValue>
      <KeyValue label="Data sets" help="On chain; those that ended and are not deleted yet are counted.">
        <Count value={business?.data_set_count} />
      </KeyValue>
      <KeyValue label="Operations" help="Deposits, withdrawals, approvals and ends of data sets.">
        <Count value={business?.onchain_tasks_pending} /> open, <Count value={business?.onchain_tasks_completed} /> confirmed
      </KeyValue>
      <KeyValue label="USDFC">
        <Copyable text={contracts?.usdfc_address} label="address of USDFC" />
      </KeyValue>
      <KeyValue label="Payments">
        <Copyable text={contracts?.payments_address} label="address of the payments contract" />
      </KeyValue>
      <KeyValue label="Storage service">
        <Copyable text={contracts?.fwss_address} label="address of the storage service" />
      </KeyValue>
    </KeyValues>
  </Card>
))
