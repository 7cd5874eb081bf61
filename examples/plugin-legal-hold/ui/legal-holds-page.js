/** The page: the build of the dashboard imports this file; the service never does. */
export const title = 'Legal holds'
