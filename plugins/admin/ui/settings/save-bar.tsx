import { component$, type Signal } from '@builder.io/qwik'
import { Button, formatPlural } from '@svc/ui-kit'
import { listChanges, type Settings } from './draft-policy.ts'
import type { SettingsForm } from './settings-form.ts'

interface SaveBarProps {
  settings: Settings
  form: SettingsForm
  saving: Signal<boolean>
}

/** Stays in view while there is something to save. */
export const SaveBar = component$<SaveBarProps>((props) => {
  const { settings, form } = props
  const changes = listChanges(settings, form.drafts)
  if (changes.length === 0) return null
  // The service refuses to save while any of these remains.
  const wrong = Object.entries(form.checked ?? {})
  const [first] = wrong
  return (
    <section
      aria-label="Unsaved changes"
      class="kit-rise sticky bottom-3 z-10 mt-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-edge bg-panel px-4 py-3"
    >
      <p role="status" class="min-w-0 flex-1 basis-60 text-sm">
        <strong class="font-semibold">{formatPlural(changes.length, 'unsaved change')}</strong>
        {first && (
          <span class="block text-xs text-danger [overflow-wrap:anywhere]">
            {`${first[0]} ${first[1]}`}
            {wrong.length > 1 && `, and ${wrong.length - 1} more to correct`}
          </span>
        )}
      </p>
      <div class="flex gap-2">
        <Button
          onClick$={() => {
            props.form.drafts = {}
          }}
        >
          Discard
        </Button>
        <Button
          variant="primary"
          icon="save"
          changes="PUT /settings"
          lockedReason={whyLocked(settings, wrong.length)}
          onClick$={() => {
            props.saving.value = true
          }}
        >
          Review and save
        </Button>
      </div>
    </section>
  )
})

function whyLocked({ writable, config_path }: Settings, wrong: number): string | undefined {
  if (!writable) return `The service cannot write ${config_path}.`
  return wrong > 0 ? 'Correct the marked settings first.' : undefined
}
