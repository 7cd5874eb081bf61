import type { Plugin } from '#kernel'
import { accessPlugin } from './access/plugin.ts'
import { adminPlugin } from './admin/plugin.ts'
import { costsPlugin } from './costs/plugin.ts'
import { lifecyclePlugin } from './lifecycle/plugin.ts'
import { observabilityPlugin } from './observability/plugin.ts'
import { packsPlugin } from './packs/plugin.ts'
import { providersPlugin } from './providers/plugin.ts'
import { replacementPlugin } from './replacement/plugin.ts'
import { replicationPlugin } from './replication/plugin.ts'
import { s3Plugin } from './s3/plugin.ts'
import { storagePlugin } from './storage/plugin.ts'
import { tasksPlugin } from './tasks/plugin.ts'
import { walletPlugin } from './wallet/plugin.ts'

/** Every built-in plugin. Order does not matter: `requires`, `accompanies` and the services used decide. */
export const builtinPlugins: readonly Plugin[] = [
  walletPlugin,
  providersPlugin,
  storagePlugin,
  replicationPlugin,
  replacementPlugin,
  costsPlugin,
  packsPlugin,
  s3Plugin,
  lifecyclePlugin,
  adminPlugin,
  accessPlugin,
  tasksPlugin,
  observabilityPlugin,
]
