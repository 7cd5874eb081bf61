import { component$ } from '@builder.io/qwik'
import { Card, Copyable, CopyButton, formatCount, KeyValue, KeyValues, showHidden } from '@svc/ui-kit'
import { type Proof, type ProvenCopy, toCastCommand } from './describe-life.ts'

/** A large object has thousands of pieces; the download has the calls of all. */
const shownMax = 8

/** The reads of contracts that show the same without this service. */
export const VerifyCard = component$<{ proof: Proof }>(({ proof }) => {
  const proven = proof.copies.filter(({ verify }) => verify.length > 0)
  return (
    <Card title="Verify without this service" note={`${proof.network}, chain ${proof.chain_id}`}>
      <p class="max-w-prose text-sm text-muted">
        Anybody can repeat these reads at any node of the chain, for example with <code>cast</code> of Foundry. The downloaded proof has
        them all as JSON.
      </p>
      <KeyValues class="mt-2 max-w-2xl">
        <KeyValue label="Payer of the data sets">
          <Copyable text={proof.payer} label="payer" keep={10} />
        </KeyValue>
        {proof.epoch !== undefined && <KeyValue label="Epoch of this proof" value={proof.epoch} />}
      </KeyValues>
      {proven.length === 0 && <p class="mt-2 text-sm text-muted">No piece is on chain yet.</p>}
      {proven.slice(0, shownMax).map((copy) => (
        <Calls key={`${copy.copy_index} ${copy.part}`} copy={copy} hasParts={proof.copies.some(({ part }) => part > 0)} />
      ))}
      {proven.length > shownMax && (
        <p class="mt-3 text-xs text-muted">
          The calls of {formatCount(shownMax)} of {formatCount(proven.length)} pieces; the download has all.
        </p>
      )}
    </Card>
  )
})

const Calls = ({ copy, hasParts }: { copy: ProvenCopy; hasParts: boolean }) => (
  <details class="mt-3 rounded-md border">
    <summary class="cursor-pointer rounded-md px-3.5 py-2 text-sm font-medium hover:bg-sunken">
      Replica {copy.copy_index + 1}
      {hasParts && `, part ${copy.part + 1}`} at <bdi>{showHidden(copy.provider_name ?? `provider ${copy.provider_id}`)}</bdi>
      <span class="ms-2 font-normal text-muted">{copy.verify.length} reads</span>
    </summary>
    <ol class="divide-y border-t">
      {copy.verify.map((call) => (
        <li key={`${call.contract} ${call.function}`} class="flex min-w-0 flex-col gap-1 px-3.5 py-2.5 text-sm">
          <span class="first-letter:uppercase">{call.shows}</span>
          <span class="flex min-w-0 items-start gap-1">
            <code class="min-w-0 flex-1 rounded-sm bg-sunken px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]">
              {toCastCommand(call)}
            </code>
            <CopyButton text={toCastCommand(call)} label="the command" />
          </span>
          {call.expected !== undefined && (
            <span class="text-xs text-muted [overflow-wrap:anywhere]">
              Expected: <code class="font-mono">{call.expected}</code>
            </span>
          )}
        </li>
      ))}
    </ol>
  </details>
)
