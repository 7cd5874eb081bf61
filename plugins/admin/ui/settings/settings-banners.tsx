import { component$ } from '@builder.io/qwik'
import { Alert } from '@svc/ui-kit'
import type { Settings } from './draft-policy.ts'
import { RestartButton } from './restart-button.tsx'
import { manualProblems, problemsOf } from './tabs-policy.ts'

/** What state the settings are in: setup mode, saved and waiting for a start, or a file that cannot be written. */
export const SettingsBanners = component$<{ settings: Settings }>(({ settings }) => {
  const errors = problemsOf(settings, undefined)
  const manual = manualProblems(settings, errors)
  const isSetup = !settings.runtime_available
  const isValid = settings.mode === 'ready'
  return (
    <div class="mb-4 flex flex-col gap-3 empty:hidden">
      {isSetup && !isValid && (
        <Alert tone="warning" title="Setup mode: the service lacks settings that it needs">
          S3 and background tasks start when they are complete and the service is restarted.
          {manual.length > 0 && (
            <ul class="mt-1.5 list-disc ps-5">
              {manual.map((field) => (
                <li key={field}>
                  <code class="font-mono text-xs">{field}</code>{' '}
                  {field === settings.manual.chain_private_key.field && !settings.manual.chain_private_key.configured
                    ? `is missing: run svc wallet generate, write the key to ${settings.config_path} or to ${settings.manual.chain_private_key.env}, then restart.`
                    : errors[field]}
                </li>
              ))}
            </ul>
          )}
        </Alert>
      )}
      {isSetup && isValid && (
        <Alert tone="success" title="The settings are complete: restart the service">
          This page continues by itself when the service is back.
          <span q:slot="actions">
            <RestartButton settings={settings} />
          </span>
        </Alert>
      )}
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
