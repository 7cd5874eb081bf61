import { component$ } from '@builder.io/qwik'
import { Card, Empty, Icon } from '@svc/ui-kit'
import type { Settings } from './draft-policy.ts'
import { ManualRow } from './manual-row.tsx'
import { SettingRow } from './setting-row.tsx'
import type { SettingsForm } from './settings-form.ts'
import type { FieldErrors, SettingGroup } from './tabs-policy.ts'

interface GroupsProps {
  groups: readonly SettingGroup[]
  settings: Settings
  form: SettingsForm
  errors: FieldErrors
}

/** The settings of one tab, or those that a search found. */
export const SettingsGroups = component$<GroupsProps>(({ groups, settings, form, errors }) => (
  <div class="flex flex-col gap-4">
    {groups.length === 0 && (
      <Empty icon="search" title="No setting matches" text="Names, labels, descriptions and environment variables are searched." />
    )}
    {groups.map(({ path, title, isManual, fields }) => (
      <Card key={`${path} ${isManual}`} title={title === '' ? undefined : title} flush>
        {isManual && (
          <p class="flex items-start gap-1.5 px-4 pb-3 text-xs text-muted">
            <Icon name="lock" size={13} class="mt-px" />
            Changed in the configuration file or the environment, not here.
          </p>
        )}
        <div class={['divide-y', title === '' ? '' : 'border-t']}>
          {fields.map(([field, about]) =>
            isManual ? (
              <ManualRow key={field} field={field} about={about} settings={settings} error={errors[field]} />
            ) : (
              <SettingRow key={field} field={field} about={about} settings={settings} form={form} error={errors[field]} />
            ),
          )}
        </div>
      </Card>
    ))}
  </div>
))
