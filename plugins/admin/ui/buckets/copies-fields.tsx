import { component$, type Signal } from '@builder.io/qwik'
import { Field, NumberStepper } from '@svc/ui-kit'
import { copiesMax, copiesMin } from './copies-policy.ts'

interface CopiesFieldsProps {
  target: Signal<number>
  minimum: Signal<number>
  problem?: string | undefined
  /** The target of a bucket that exists: lower ones are refused. */
  lowest?: number | undefined
}

/** The two steppers of a copy policy. */
export const CopiesFields = component$<CopiesFieldsProps>(({ target, minimum, problem, lowest }) => (
  <div class="grid gap-4 sm:grid-cols-2">
    <Field
      label="Copies"
      help={
        lowest === undefined || lowest === copiesMin
          ? 'Paid copies of each new upload.'
          : `Paid copies of each new upload. Not below ${lowest}: copies are only added.`
      }
    >
      <NumberStepper value={target} min={lowest ?? copiesMin} max={copiesMax} />
    </Field>
    <Field label="Minimum before eviction" help="Copies that must exist before cached bytes may be removed." error={problem}>
      <NumberStepper value={minimum} min={copiesMin} max={copiesMax} />
    </Field>
  </div>
))
