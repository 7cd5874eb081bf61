import { component$ } from '@builder.io/qwik'
import { Ago, Bytes, Count, formatCount, KeyValue, KeyValues, Progress } from '@svc/ui-kit'
import { isUnfinished, type Raise, stageOf } from './raise-policy.ts'

/** The newest raise of a bucket. */
export const RaiseProgress = component$<{ raise: Raise }>(({ raise }) => (
  <div class="flex flex-col gap-3">
    {raise.status === 'raising' && (
      <Progress label="Raised targets" value={raise.percent_raised} max={100} text={stageOf(raise, formatCount)} />
    )}
    {raise.status === 'copying' && <Progress label="Copies" text={stageOf(raise, formatCount)} />}
    {!isUnfinished(raise) && <p class="text-sm">{stageOf(raise, formatCount)}</p>}
    <KeyValues>
      <KeyValue label="To copies" value={String(raise.target_copies)} />
      <KeyValue label="Contents">
        <Count value={raise.contents} />
      </KeyValue>
      <KeyValue label="Added copies">
        <Count value={raise.copies} />
      </KeyValue>
      <KeyValue label="Added bytes">
        <Bytes value={raise.bytes} />
      </KeyValue>
      <KeyValue label="Requested">
        <Ago time={raise.created_at} />
      </KeyValue>
      {raise.finished_at !== undefined && (
        <KeyValue label="Completed">
          <Ago time={raise.finished_at} />
        </KeyValue>
      )}
    </KeyValues>
  </div>
))
