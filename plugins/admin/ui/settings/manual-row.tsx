import { component$ } from '@builder.io/qwik'
import { Icon } from '@svc/ui-kit'
import { type SettingAbout, type Settings, showText, toText } from './draft-policy.ts'

interface ManualProps {
  field: string
  about: SettingAbout
  settings: Settings
  error?: string | undefined
}

/** A setting that only the configuration file or the environment changes. Secrets are never shown. */
export const ManualRow = component$<ManualProps>(({ field, about, settings, error }) => (
  <div data-setting={field} class="grid gap-x-8 gap-y-1.5 px-4 py-3 text-sm md:grid-cols-[minmax(0,38rem)_minmax(14rem,1fr)]">
    <div class="min-w-0">
      <p class="font-medium">{about.label}</p>
      <p class="mt-0.5 text-xs text-muted">{about.description}</p>
      {error && (
        <p role="alert" class="mt-1 flex items-start gap-1.5 text-xs text-danger [overflow-wrap:anywhere]">
          <Icon name="circle-alert" size={13} class="mt-px" />
          {error}
        </p>
      )}
    </div>
    <div class="flex min-w-0 flex-col items-start gap-1 text-xs text-muted">
      <span class="text-sm text-fg [overflow-wrap:anywhere]">{describeValue(field, about, settings)}</span>
      <code class="max-w-full font-mono text-2xs [overflow-wrap:anywhere]">{field}</code>
    </div>
  </div>
))

/** The service sends the values of these settings only where they are defaults. */
function describeValue(field: string, about: SettingAbout, { manual }: Settings): string {
  if (field === 'database.driver') return manual.database.driver
  if (about.secret) return about.source === 'default' ? 'Not set' : 'Set; never shown'
  if (about.source === 'default') return showText(toText(about.default), about)
  return { file: 'Set in the configuration file', env: `Set by ${about.env}`, flag: 'Set on the command line' }[about.source]
}
