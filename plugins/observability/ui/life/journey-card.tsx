import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Card, formatBytes, Icon, type IconName, Progress, useQuery } from '@svc/ui-kit'
import { type JourneyStep, journeyOf, type Proof, type Provenance } from './describe-life.ts'
import { useVersion } from './use-version.ts'

interface JourneyCardProps {
  bucket: string
  proof: Proof
  provenance: Provenance | undefined
}

/** The way of the bytes in four steps, and what is missing. */
export const JourneyCard = component$<JourneyCardProps>((props) => {
  const { version } = useVersion(() => ({ bucket: props.bucket, key: props.proof.key, versionId: props.proof.version_id }))
  const detail = useQuery('GET /buckets/:name/objects/status-detail', () => ({
    params: { name: props.bucket },
    query: { version_id: props.proof.version_id },
  }))
  const { proof, provenance } = props
  const steps = journeyOf({ proof, provenance, version })
  const progress = provenance?.progress
  return (
    <Card>
      <ol aria-label="Way of the bytes" class="flex flex-col gap-4 pt-2 lg:flex-row lg:gap-3">
        {steps.map((step, index) => (
          <Step key={step.id} step={step} isLast={index === steps.length - 1} />
        ))}
      </ol>
      {progress && !progress.done && (
        <div class="mt-4">
          <Progress
            label="Upload to the first provider"
            value={progress.uploaded_bytes}
            max={progress.total_bytes}
            text={`${formatBytes(progress.uploaded_bytes)} of ${formatBytes(progress.total_bytes)} to the first provider, attempt ${progress.attempt}`}
          />
        </div>
      )}
      {detail.data?.message !== undefined && (
        <div class="mt-4">
          <Alert tone={provenance?.state === 'failed' || provenance?.attention_code === 'stuck' ? 'danger' : 'info'}>
            {detail.data.message}
          </Alert>
        </div>
      )}
    </Card>
  )
})

const icons: Readonly<Record<JourneyStep['id'], IconName>> = {
  accepted: 'upload',
  cached: 'hard-drive',
  copied: 'layers',
  proven: 'shield-check',
}

const marks: Readonly<Record<JourneyStep['state'], string>> = {
  done: 'border-success-edge bg-success-soft text-success',
  current: 'border-info-edge bg-info-soft text-info',
  waiting: 'border-dashed border-edge text-muted',
  failed: 'border-danger-edge bg-danger-soft text-danger',
}

const stateWords: Readonly<Record<JourneyStep['state'], string>> = {
  done: 'done',
  current: 'in progress',
  waiting: 'not yet',
  failed: 'needs attention',
}

const Step = ({ step: { id, label, text, time, state }, isLast }: { step: JourneyStep; isLast: boolean }) => (
  <li class="relative flex min-w-0 flex-1 gap-3">
    {!isLast && (
      <span
        aria-hidden="true"
        class={[
          'absolute max-lg:top-10 max-lg:bottom-[-12px] max-lg:left-4.5 max-lg:w-px lg:top-4.5 lg:right-0 lg:left-12 lg:h-px',
          state === 'done' ? 'bg-success-edge' : 'bg-line',
        ]}
      />
    )}
    <span class="flex min-w-0 gap-3 lg:flex-col lg:gap-2">
      <span class={['relative flex size-9 shrink-0 items-center justify-center rounded-full border', marks[state]]}>
        <Icon name={icons[id]} size={16} />
      </span>
      <span class="min-w-0 text-sm">
        <span class="block font-semibold">
          {label}
          <span class="sr-only">: {stateWords[state]}</span>
        </span>
        <span class={['block', state === 'failed' ? 'text-danger' : 'text-muted']}>{text}</span>
        {time !== undefined && (
          <span class="block text-xs text-muted">
            <Ago time={time} />
          </span>
        )}
      </span>
    </span>
  </li>
)
