/** Runs before each test file: tests of a third-party plugin import `svc/kernel` as the plugin does. */
import { shareKernelModules } from '../kernel/third-party.ts'

shareKernelModules()
