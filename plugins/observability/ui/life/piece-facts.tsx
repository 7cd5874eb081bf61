import { component$ } from '@builder.io/qwik'
import { Ago, Copyable, CopyButton, Icon, KeyValue, KeyValues } from '@svc/ui-kit'
import { countByDay } from '../data-sets/proving-policy.ts'
import { ProvingDays } from '../data-sets/proving-strip.tsx'
import { type ProvenCopy, readText, safeUrl } from './describe-life.ts'

/** Everything that is known of one stored piece. */
export const PieceFacts = component$<{ piece: ProvenCopy; issuedAt: string | undefined }>(({ piece, issuedAt }) => (
  <KeyValues class="mt-2">
    <KeyValue label="Piece">
      <span class="inline-flex flex-wrap items-center justify-end gap-x-3">
        {piece.piece_id !== undefined && <span>#{piece.piece_id}</span>}
        <Copyable text={piece.piece_cid} label="piece CID" keep={8} />
      </span>
    </KeyValue>
    <KeyValue label="On chain">
      {piece.committed_at === undefined && piece.transaction === undefined && '—'}
      {piece.committed_at !== undefined && <Ago time={piece.committed_at} />}
      {piece.transaction !== undefined && (
        <span class="ms-3">
          <Copyable text={piece.transaction} label="transaction" />
        </span>
      )}
    </KeyValue>
    <KeyValue label="Last proof">
      <Ago time={piece.last_proven_at} />
      {piece.last_proven_epoch !== undefined && <span class="text-muted"> in epoch {piece.last_proven_epoch}</span>}
    </KeyValue>
    <KeyValue label="Next one due">
      <Ago time={piece.next_due_at} />
    </KeyValue>
    {piece.history.length > 0 && issuedAt !== undefined && (
      <KeyValue label="Six weeks of proofs">
        <ProvingDays days={countByDay(piece.history, Date.parse(issuedAt))} />
      </KeyValue>
    )}
    <KeyValue label="Whole piece read">
      {piece.last_read ? (
        <>
          <Ago time={piece.last_read.at} />: {readText(piece.last_read)}
        </>
      ) : (
        <span class="text-muted">Not yet</span>
      )}
    </KeyValue>
    <KeyValue label="At the provider">
      <Retrieval url={piece.retrieval_url} />
    </KeyValue>
  </KeyValues>
))

const Retrieval = ({ url }: { url: string | undefined }) => {
  const href = safeUrl(url)
  if (href === undefined) return <Copyable text={url} label="retrieval URL" />
  return (
    <span class="inline-flex items-center gap-1">
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        title={href}
        class="inline-flex items-center gap-1 text-accent hover:underline"
      >
        Open the piece
        <Icon name="external-link" size={13} />
        <span class="sr-only"> at the provider in a new tab</span>
      </a>
      <CopyButton text={href} label="retrieval URL" />
    </span>
  )
}
