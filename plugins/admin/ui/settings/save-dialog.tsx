import { $, component$, type Signal } from '@builder.io/qwik'
import { Alert, Confirm, call, patchQueries, toast, useAction$ } from '@svc/ui-kit'
import { listChanges, type Settings, showText, toBody } from './draft-policy.ts'
import { isHighRisk, levelOf, reasonOf, saveWord } from './risk-policy.ts'
import type { SettingsForm } from './settings-form.ts'
import { toErrors } from './tabs-policy.ts'

interface SaveProps {
  open: Signal<boolean>
  settings: Settings
  form: SettingsForm
}

/** Lists what changes, from, to and why that matters; saves after a confirmation. */
export const SaveDialog = component$<SaveProps>((props) => {
  const { settings, form } = props
  const changes = listChanges(settings, form.drafts)
  const notes = changes.flatMap((change) => {
    const reason = reasonOf(change)
    return reason === undefined ? [] : [{ label: change.about.label, reason, high: isHighRisk(change) }]
  })
  const save = useAction$(async () => {
    const body = toBody(listChanges(props.settings, props.form.drafts))
    const saved = await call('PUT /settings', { body })
    patchQueries('GET /settings', () => saved)
    props.form.drafts = {}
    props.form.checked = undefined
    props.open.value = false
    toast({ title: 'Settings saved', text: 'They take effect when the service starts again.' })
  })
  const confirm = $(async () => {
    await save.run()
    // The page behind the dialog marks the fields too.
    if (save.error && save.error.fields.length > 0) props.form.checked = toErrors(save.error.fields)
  })
  return (
    <Confirm
      open={props.open}
      level={levelOf(changes)}
      changes="PUT /settings"
      word={saveWord}
      title={changes.length === 1 ? 'Save this change?' : `Save ${changes.length} changes?`}
      description="The service writes them to its configuration file. They take effect at its next start."
      rows={changes.map(({ about, from, to }) => ({
        label: about.label,
        from: showText(from, about),
        to: showText(to, about),
      }))}
      confirmLabel="Save"
      pending={save.isPending}
      error={save.error?.message}
      onConfirm$={confirm}
      onClose$={save.reset}
    >
      {notes.length > 0 && (
        <Alert tone={notes.some(({ high }) => high) ? 'danger' : 'warning'} title="Before you save">
          <dl class="mt-1 flex flex-col gap-1.5">
            {notes.map(({ label, reason }) => (
              <div key={label}>
                <dt class="font-medium">{label}</dt>
                <dd class="text-muted">{reason}</dd>
              </div>
            ))}
          </dl>
        </Alert>
      )}
    </Confirm>
  )
})
