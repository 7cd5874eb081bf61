import { $, component$ } from '@builder.io/qwik'
import { Badge, Button, Field, Icon, Select, Switch, TextInput, useRefusal } from '@svc/ui-kit'
import { changeText, listChanges, publicEndpoint, type SettingAbout, type Settings, textOf } from './draft-policy.ts'
import { describeLimits, whyInactive } from './risk-policy.ts'
import type { SettingsForm } from './settings-form.ts'

interface SettingProps {
  field: string
  about: SettingAbout
  settings: Settings
  form: SettingsForm
  error?: string | undefined
}

/** One setting that can be changed: label, control, what it means, its limits and where else it may be set. */
export const SettingRow = component$<SettingProps>((props) => {
  const { field, about, settings, form } = props
  const isChanged = listChanges(settings, form.drafts).some((change) => change.field === field)
  const running = field === 'chain.default_copies' ? settings.runtime_chain_default_copies : undefined
  const saved = textOf(settings, {}, field)
  return (
    <div data-setting={field} class="grid gap-x-8 gap-y-2.5 px-4 py-4 md:grid-cols-[minmax(0,38rem)_minmax(14rem,1fr)]">
      <div class="min-w-0">
        <SettingControl {...props} />
      </div>
      <div class={['flex min-w-0 flex-col items-start gap-1.5 text-xs text-muted', about.type === 'flag' ? 'md:pt-0.5' : 'md:pt-7']}>
        {describeLimits(about) && <span>{describeLimits(about)}</span>}
        <code class="max-w-full font-mono text-2xs [overflow-wrap:anywhere]">{field}</code>
        {running !== undefined && String(running) !== saved && (
          <Badge tone="warning" title="The saved value is used after the next start.">{`Running with ${running}`}</Badge>
        )}
        {isChanged && (
          <span class="flex items-center gap-1.5">
            <Badge tone="info">Changed</Badge>
            <Button
              size="sm"
              variant="ghost"
              icon="undo-2"
              aria-label={`Undo the change of ${about.label}`}
              onClick$={() => {
                const { [props.field]: _undone, ...others } = props.form.drafts
                props.form.drafts = others
              }}
            >
              Undo
            </Button>
          </span>
        )}
      </div>
    </div>
  )
})

const SettingControl = component$<SettingProps>((props) => {
  const { field, about, settings, form, error } = props
  const text = textOf(settings, form.drafts, field)
  // The page says why, once.
  const disabled = Boolean(useRefusal()('PUT /settings'))
  const managedBy = settings.env_managed[field]
  const inactive = whyInactive(field, (other) => textOf(settings, form.drafts, other))
  const lockedReason = managedBy ? `Set by ${managedBy}. Change it there, then restart.` : inactive
  const change = $((next: string) => {
    props.form.drafts = changeText(props.settings, props.form.drafts, props.field, next)
  })
  if (about.type === 'flag') {
    return (
      <div class="flex flex-col gap-1.5">
        <Switch
          label={about.label}
          help={about.description}
          name={field}
          value={text === 'true'}
          lockedReason={lockedReason}
          disabled={disabled}
          onValue$={(on) => change(String(on))}
        />
        {error && (
          <p role="alert" class="flex items-start gap-1.5 text-xs text-danger">
            <Icon name="circle-alert" size={13} class="mt-px" />
            {error}
          </p>
        )}
      </div>
    )
  }
  return (
    <Field label={about.label} help={about.description} error={error} required={about.required} lockedReason={lockedReason}>
      {about.allowed ? (
        <Select
          name={field}
          value={text}
          disabled={disabled}
          onValue$={change}
          options={about.allowed.map((value) => ({ value, label: value }))}
        />
      ) : (
        <TextInput
          name={field}
          value={text}
          disabled={disabled}
          onValue$={change}
          mono={about.type !== 'integer'}
          inputMode={about.type === 'integer' ? 'numeric' : undefined}
          placeholder={field === 'chain.rpc_url' ? publicEndpoint(settings, form.drafts) : undefined}
        />
      )}
    </Field>
  )
})
