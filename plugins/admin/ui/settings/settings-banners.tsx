import { component$ } from '@builder.io/qwik'
import { Alert, useRefusal } from '@svc/ui-kit'
import { SetupCard } from '../setup/setup-card.tsx'
import type { Settings } from './draft-policy.ts'

/** What state the settings are in: setup mode, saved and waiting for a start, or a file that cannot be written. */
export const SettingsBanners = component$<{ settings: Settings }>(({ settings }) => {
  const refused = useRefusal()('PUT /settings')
  const isSetup = !settings.runtime_available
  const isValid = settings.mode === 'ready'
  return (
    <div class="mb-4 flex flex-col gap-3 empty:hidden">
      {refused && <Alert tone="neutral">{refused}</Alert>}
      {isSetup && <SetupCard settings={settings} />}
      {!isSetup && !isValid && (
        <Alert tone="danger" title="The service would not start with the saved settings">
          Correct the marked settings before the next restart; until then it would start in setup mode.
        </Alert>
      )}
      {!settings.writable && (
        <Alert tone="warning" title="The configuration file cannot be written">
          The service may not change {settings.config_path}. Edit the file itself, or give its user write access to the file and its folder.
        </Alert>
      )}
    </div>
  )
})
