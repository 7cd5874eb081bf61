import { component$ } from '@builder.io/qwik'
import { Card, Empty } from '@svc/ui-kit'
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
    {groups.map(({ path, title, fields }) => (
      <Card key={path} title={title === '' ? undefined : title} flush>
        <div class="divide-y">
          {fields.map(([field, about]) =>
            about.editable && !about.secret ? (
              <SettingRow key={field} field={field} about={about} settings={settings} form={form} error={errors[field]} />
            ) : (
              <ManualRow key={field} field={field} about={about} settings={settings} error={errors[field]} />
            ),
          )}
        </div>
      </Card>
    ))}
  </div>
))
