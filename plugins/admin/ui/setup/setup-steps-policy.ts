import type { Settings } from '../settings/draft-policy.ts'
import { manualProblems, problemsOf } from '../settings/tabs-policy.ts'

export interface SetupStep {
  /** `chain`, `key`, `restart`, or the dotted path of a setting. */
  readonly id: string
  readonly label: string
  readonly state: 'done' | 'current' | 'waiting'
  readonly text: string
  /** Tab of the settings that mends it. */
  readonly tab?: string | undefined
}

const keyField = 'chain.private_key'

/** What the service lacks, in the order to supply it; the last step is the restart. */
export function listSteps(settings: Settings): readonly SetupStep[] {
  const errors = problemsOf(settings, undefined)
  const manual = new Set(manualProblems(settings, errors))
  const others = Object.entries(errors).filter(([field]) => field !== keyField)
  const isComplete = settings.mode === 'ready'
  return [
    ...(settings.metadata[keyField] ? [chainStep(settings), keyStep(settings, errors[keyField])] : []),
    ...others.map(
      ([field, message]): SetupStep => ({
        id: field,
        label: settings.metadata[field]?.label ?? field,
        state: 'current',
        text: manual.has(field) ? `${field} ${message}. Correct it in ${settings.config_path}.` : `${field} ${message}.`,
        tab: manual.has(field) ? undefined : field.split('.', 1)[0],
      }),
    ),
    { id: 'restart', label: 'Restart the service', state: isComplete ? 'current' : 'waiting', text: restartText(settings) },
  ]
}

function chainStep({ config }: Settings): SetupStep {
  const { network = '', rpc_url: url = '' } = (config.chain ?? {}) as { readonly network?: string; readonly rpc_url?: string }
  const node = url === '' ? 'its public node' : url
  return {
    id: 'chain',
    label: 'Chain',
    state: 'done',
    text: `Network ${network}, through ${node}. Change both before the restart.`,
    tab: 'chain',
  }
}

function keyStep({ manual }: Settings, problem: string | undefined): SetupStep {
  const isSet = manual.chain_private_key.configured && problem === undefined
  return {
    id: 'key',
    label: 'Wallet key',
    state: isSet ? 'done' : 'current',
    text: isSet
      ? 'Set. The service never shows it.'
      : 'The private key of the wallet that pays for storage. Run svc wallet generate for a new one.',
  }
}

const restartText = ({ mode, restart }: Settings): string => {
  if (mode !== 'ready') return 'Possible when the steps above are done.'
  return restart.supervised
    ? 'S3 and background tasks then start.'
    : 'Restart it where it runs: S3 and background tasks then start. This page continues by itself when the service is back.'
}
