import { component$ } from '@builder.io/qwik'
import { type Answer, Button, Bytes, Card, Count, call, ErrorAlert, invalidate, KeyValue, KeyValues, toast, useAction$ } from '@svc/ui-kit'
import { ChangePacking } from './change-packing.tsx'
import { eraseText, packingTexts } from './pack-words-policy.ts'

type BucketPacks = Answer<'GET /packs'>['buckets'][number]

/** Objects that fill the next pack. */
export const WaitingCard = component$<{ packs: BucketPacks }>((props) => {
  const seal = useAction$(async () => {
    const { contents } = await call('POST /packs/seal', { body: { bucket: props.packs.bucket } })
    invalidate(['GET /packs', 'GET /buckets/:name'])
    toast({ title: contents === 0 ? 'Nothing waits' : 'The pack is being sealed' })
  })
  const { waiting, packing, erase_within_days: days } = props.packs
  return (
    <Card title="Filling">
      {waiting.contents > 0 && (
        <Button q:slot="actions" size="sm" changes="POST /packs/seal" pending={seal.isPending} onClick$={() => seal.run()}>
          Seal now
        </Button>
      )}
      <ChangePacking q:slot="actions" packs={props.packs} />
      <ErrorAlert error={seal.error} title="The pack is not sealed" />
      <KeyValues>
        <KeyValue label="Packing of new objects">{packingTexts[packing].label}</KeyValue>
        <KeyValue label="Objects that wait">
          <Count value={waiting.contents} />
        </KeyValue>
        <KeyValue label="Their bytes">
          <Bytes value={waiting.bytes} />
        </KeyValue>
        <KeyValue label="Deleted bytes are erased">{eraseText(days)}</KeyValue>
      </KeyValues>
      {waiting.message !== undefined && <p class="text-xs text-muted">The next object {waiting.message}.</p>}
    </Card>
  )
})
