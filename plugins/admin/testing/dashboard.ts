/** Serves a built dashboard, for tests of the whole product. */
export { serveDashboard } from '../dashboard/dashboard-routes.ts'
