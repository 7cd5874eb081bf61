import { readFileSync } from 'node:fs'
import type { PreparedKernel } from '#kernel/host'
import type { FileValue } from '#kernel/system'
import { renderConfigTemplate } from '../config-template.ts'

type Prepared = Pick<PreparedKernel, 'config' | 'sections'>

/**
 * The configuration file as it is, or without secrets: written anew from the values of the file, because a comment may contain one too.
 * Values of the environment are left out.
 */
export function renderBackupConfig(
  { config, sections }: Prepared,
  { withSecrets, dataDir }: { withSecrets: boolean; dataDir: string },
): string {
  if (withSecrets && config.exists) return readFileSync(config.path, 'utf8')
  const values: Record<string, FileValue> = {}
  for (const { path, keys } of sections) {
    for (const [key, setting] of Object.entries(keys)) {
      const field = `${path}.${key}`
      const value = config.sources.get(field) === 'file' ? (config.raw.get(field) as FileValue | undefined) : undefined
      if (value === undefined || hasSecret(value, setting.secretParts)) continue
      values[field] = value
    }
  }
  return renderConfigTemplate({ sections, dataDir, values })
}

const hasSecret = (value: FileValue, secretParts: (text: string) => readonly string[]): boolean =>
  [value].flat().some((text) => typeof text === 'string' && text !== '' && secretParts(text).length > 0)

/** Secrets that the restored configuration lacks. */
export const missingSecrets = ({ config, sections }: Prepared): readonly string[] =>
  sections.flatMap(({ path, keys }) =>
    Object.entries(keys).flatMap(([key, { secret }]) => (secret && !config.raw.get(`${path}.${key}`) ? [`${path}.${key}`] : [])),
  )
