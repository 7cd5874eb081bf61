/** Routes whose answers change when versions of an object are added, restored or removed. */
export const objectLists = [
  'GET /buckets',
  'GET /buckets/:name',
  'GET /buckets/:name/objects',
  'GET /buckets/:name/objects/versions',
  'GET /buckets/:name/objects/deleted',
] as const
