/** Runs before each test file: tests of a third-party plugin import `svc/kernel` as the plugin does. */
import { shareKernelModules } from '../kernel/core/third-party.ts'

shareKernelModules()
