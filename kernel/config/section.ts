/**
 * @recipe a setting
 * Add a key, such as `setting.text({ label, doc })`, in a section made by `defineSection`; read it by putting `section.settings` into `uses`.
 * Label, documentation, default, checks and environment name come from this declaration; `textRules` restrict a text. A setting that names
 * a file with a secret also contributes `secretFiles.with(defineSecretFile(section, pathOf))`, so that `svc doctor` looks at its rights.
 */
import { defineExtensionPoint } from '../core/extension-point.ts'
import { defineService, type ServiceRef } from '../core/service.ts'
import type { Setting } from './setting.ts'

// biome-ignore lint/suspicious/noExplicitAny: one table holds settings of every type
export type SettingTable = Readonly<Record<string, Setting<any>>>
export type SettingValues<S extends SettingTable> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

/** One table of the configuration file, such as `[chain.observability]`, with its keys. */
export interface Section {
  /** Dotted path of the table. */
  readonly path: string
  readonly doc: string
  readonly keys: SettingTable
  /** Rules across keys; called when every present key is valid; a required one may be missing. */
  readonly check: (values: never) => readonly SectionProblem[]
  /** The values as a service: put it into `uses` to read them. */
  readonly settings: ServiceRef<unknown>
}

interface SectionProblem {
  readonly key: string
  readonly message: string
}

export interface TypedSection<S extends SettingTable> extends Section {
  readonly keys: S
  readonly settings: ServiceRef<SettingValues<S>>
}

/** Reads the values of a section of the loaded configuration. */
export interface SettingsReader {
  <S extends SettingTable>(section: TypedSection<S>): SettingValues<S>
  (section: Section): unknown
}

export const configSections = defineExtensionPoint<Section>('config.sections')

export function defineSection<const S extends SettingTable>(
  path: string,
  spec: { readonly doc: string; readonly keys: S; readonly check?: (values: SettingValues<S>) => readonly SectionProblem[] },
): TypedSection<S> {
  return {
    path,
    doc: spec.doc,
    keys: spec.keys,
    check: (spec.check ?? (() => [])) as (values: never) => readonly SectionProblem[],
    settings: defineService(`settings.${path}`),
  }
}

/** `chain.private_key` is read from SVC_CHAIN_PRIVATE_KEY. */
export function envName(dottedPath: string): string {
  return `SVC_${dottedPath.replaceAll('.', '_').toUpperCase()}`
}

/** Defaults of a setting that depend on other settings, such as the chain node of each network. */
interface SettingDefaults {
  /** Member of `defaults` in the settings of the Admin API. */
  readonly name: string
  load(): Promise<unknown>
  /** Dotted path of the setting. */
  readonly field: string
  /** Its default with these values by dotted path; undefined where they determine none. */
  defaultWith(values: ReadonlyMap<string, unknown>): Promise<string | undefined>
}

export const settingDefaults = defineExtensionPoint<SettingDefaults>('config.setting-defaults')
