import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  Badge,
  Boundary,
  Button,
  Card,
  Empty,
  ErrorAlert,
  LinkButton,
  PageHeader,
  SkeletonLines,
  setSearch,
  useParts,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { OperationsCard } from '../operations/operations-card.tsx'
import { PaymentDialogs } from '../payments/payment-dialogs.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { BalancesCard } from './balances-card.tsx'
import { listFailedReads } from './failed-reads-policy.ts'
import { IdentityCard } from './identity-card.tsx'
import { RunwayCard } from './runway-card.tsx'
import type { Wallet } from './runway-policy.ts'

/** The wallet that pays: how long the deposit lasts, balances, approval and operations. The open dialog is in the address. */
export const WalletPage = component$(() => {
  const wallet = useQuery('GET /wallet')
  const data = wallet.data
  const isUsable = data?.configured === true
  return (
    <>
      <PageHeader title="Wallet" description="Pays the providers: its deposit is used by the epoch, and new copies wait without it.">
        <span q:slot="badge">{data?.chain && <Badge tone="neutral">{data.chain.network}</Badge>}</span>
        <LinkButton q:slot="actions" href="/wallet/readiness" icon="heart-pulse">
          Readiness
        </LinkButton>
        {isUsable && (
          <Button q:slot="actions" changes="POST /wallet/withdraw" onClick$={() => setSearch({ do: 'withdraw' })}>
            Withdraw
          </Button>
        )}
        {isUsable && (
          <Button
            q:slot="actions"
            variant="primary"
            icon="coins"
            data-shortcut="u"
            changes="POST /wallet/fund"
            onClick$={() => setSearch({ do: 'fund' })}
          >
            Fund
          </Button>
        )}
      </PageHeader>
      <ErrorAlert error={wallet.error} title="The wallet cannot be read" onRetry$={wallet.refresh} class="mb-4" />
      {!data && !wallet.error && <WalletSkeleton />}
      {data && !data.configured && (
        <Card>
          <Empty
            icon="wallet"
            title="No wallet is configured"
            text="Set chain.private_key to the key of the wallet that pays, then restart the service."
          >
            <LinkButton href="/settings" variant="primary">
              Open the settings
            </LinkButton>
          </Empty>
        </Card>
      )}
      {data?.configured && <WalletBody wallet={data} />}
    </>
  )
})

const WalletBody = component$<{ wallet: Wallet }>(({ wallet }) => {
  const cards = useParts('walletCards')
  const failed = listFailedReads(wallet.partial_errors)
  return (
    <div class="flex flex-col gap-4">
      {failed.length > 0 && (
        <Alert tone="warning" title="Some facts could not be read from the chain">
          {failed.join('; ')}. They are missing below.
        </Alert>
      )}
      <RunwayCard wallet={wallet} />
      <div class="gap-4 md:columns-2 xl:columns-3 *:mb-4 *:break-inside-avoid">
        <BalancesCard wallet={wallet} />
        <ApprovalCard wallet={wallet} />
        {cards.value.map(({ id, component: Extra }) => (
          <div key={id}>
            <Boundary what="card">
              <Extra />
            </Boundary>
          </div>
        ))}
        <IdentityCard wallet={wallet} />
      </div>
      <OperationsCard chainId={wallet.chain?.chain_id} />
      <OpenDialog wallet={wallet} />
    </div>
  )
})

/** Made anew for each opening: a dialog has one request id, from its opening to its end. */
const OpenDialog = component$<{ wallet: Wallet }>(({ wallet }) => {
  const wanted = useSearchParam('do')
  const open = useSignal(false)
  useTask$(({ track }) => {
    open.value = track(() => wanted.value) !== ''
  })
  return wanted.value === '' ? null : <PaymentDialogs key={wanted.value} kind={wanted.value} open={open} wallet={wallet} />
})

const WalletSkeleton = component$(() => (
  <div class="flex flex-col gap-4">
    <Card title="Deposit">
      <SkeletonLines lines={6} label="Reading the wallet; this may take 15 seconds" />
    </Card>
    <div class="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      {['Balances', 'Approval', 'Identity'].map((title) => (
        <Card key={title} title={title}>
          <SkeletonLines lines={5} label={`Loading: ${title}`} />
        </Card>
      ))}
    </div>
  </div>
))
