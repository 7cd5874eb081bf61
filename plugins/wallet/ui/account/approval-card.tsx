import { component$ } from '@builder.io/qwik'
import { Alert, Badge, Button, Card, formatPercent, Money, Segments, setSearch, useQuery } from '@svc/ui-kit'
import { readinessPollMs } from '../readiness/readiness-policy.ts'
import { type Allowance, lacksApproval, readAllowances } from './approval-words-policy.ts'
import type { Wallet } from './runway-policy.ts'

/** What the storage service may take from the deposit, and how much of that is used. */
export const ApprovalCard = component$<{ wallet: Wallet }>(({ wallet: { contracts, chain } }) => {
  const readiness = useQuery('GET /chain/readiness', undefined, { pollMs: readinessPollMs })
  const approval = contracts?.approval
  const check = readiness.data?.checks.find(({ id }) => id === 'fwss_approval')
  const isOpen = check?.status === 'blocked' || check?.status === 'warning'
  if (!approval || !chain) {
    return (
      <Card title="Approval">
        <p class="text-sm text-muted">The approval of the storage service could not be read.</p>
      </Card>
    )
  }
  const { rate, lockup } = readAllowances(approval, chain.epoch_duration_seconds)
  const isLacking = lacksApproval(approval)
  return (
    <Card title="Approval">
      <span q:slot="actions">{isLacking ? <Badge tone="danger">Missing</Badge> : <Badge tone="success">Approved</Badge>}</span>
      <p class="mb-3 text-sm text-muted">The storage service may charge the deposit up to these allowances.</p>
      <div class="flex flex-col gap-4">
        <Use label="Rate in 30 days" allowance={rate} />
        <Use label="Locked" allowance={lockup} />
        {check && isOpen && (
          <Alert tone={check.status === 'blocked' ? 'danger' : 'warning'}>
            {check.message} {check.action}
          </Alert>
        )}
        <div>
          <Button
            size="sm"
            icon="shield-check"
            changes="POST /wallet/approve"
            variant={isLacking || isOpen ? 'primary' : 'secondary'}
            onClick$={() => setSearch({ do: 'approve' })}
          >
            Approve
          </Button>
        </div>
      </div>
    </Card>
  )
})

const fills = { success: 'fill-success-fill', warning: 'fill-warning-fill', danger: 'fill-danger-fill' } as const

const Use = ({ label, allowance: { used, allowed, isUnlimited, tone } }: { label: string; allowance: Allowance }) => (
  <section aria-label={label}>
    <div class="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
      <h3>{label}</h3>
      <span class="text-xs text-muted">
        {isUnlimited ? 'No limit' : allowed === 0n ? 'Nothing is allowed' : `${formatPercent(used, allowed)} used`}
      </span>
    </div>
    {!isUnlimited && <Segments parts={[{ value: used, fill: fills[tone] }]} total={allowed} height={8} />}
    <p class="mt-1 text-xs text-muted">
      <Money value={used} price />
      {!isUnlimited && (
        <>
          {' of '}
          <Money value={allowed} price />
        </>
      )}
    </p>
  </section>
)
