import {
  adminRoutes,
  cliCommands,
  clock,
  configSections,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  log,
  optional,
  provide,
  taskKinds,
  taskSchedules,
} from '#kernel'
import { adminAuth } from '#kernel/system'
import { accessCommands } from './commands/commands.ts'
import { oidcSection } from './oidc/oidc-settings.ts'

/** Who uses the Admin API: sessions, the audit log as a table, and sign-in at an identity provider. The kernel checks passwords, sessions and roles. */
export const accessPlugin = definePlugin({
  id: 'access',
  provides: async () => {
    const { AuditKeeper, auditKeeper } = await import('./audit/audit-keeper.ts')
    const { OidcSignIn, oidcSignIn } = await import('./oidc/oidc-sign-in.ts')
    const { startOidc } = await import('./oidc/oidc-api.ts')
    const { listEnded } = await import('./sessions/ended-store.ts')
    return [
      // The doctor and other commands on the data have no listener, and nobody signs in.
      provide(auditKeeper, { database, clock, log, adminAuth: optional(adminAuth) }, async ({ adminAuth, ...deps }) => {
        const keeper = new AuditKeeper(deps)
        if (!adminAuth) return keeper
        adminAuth.trail.keep(keeper.add)
        for (const { id, until } of await listEnded(deps.database.read, deps.clock.now())) adminAuth.sessions.endById(id, until)
        return keeper
      }),
      provide(oidcSignIn, { settings: oidcSection.settings, clock, log, adminAuth: optional(adminAuth) }, (deps) => {
        const signIn = new OidcSignIn(deps)
        signIn.offer(startOidc.path)
        return signIn
      }),
    ]
  },
  contributes: [
    configSections.with(oidcSection),
    adminRoutes.load(
      async () => (await import('./sessions/session-routes.ts')).sessionRoutes,
      async () => (await import('./audit/audit-routes.ts')).auditRoutes,
      async () => (await import('./oidc/oidc-routes.ts')).oidcRoutes,
      async () => (await import('./second-factor/second-factor-routes.ts')).secondFactorRoutes,
    ),
    taskKinds.load(async () => (await import('./audit/forget-audit-task.ts')).forgetAuditTask),
    taskSchedules.load(async () => (await import('./audit/forget-audit-task.ts')).forgetAuditSchedule),
    cliCommands.with(...accessCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    dbSchemas.with({
      name: 'access',
      load: async () => ({ migrations: (await import('./migrations.ts')).accessMigrations }),
      entities: async () => [
        (await import('./audit/audit-line-entity.ts')).auditLineEntity,
        (await import('./sessions/ended-session-entity.ts')).endedSessionEntity,
      ],
    }),
  ],
})
