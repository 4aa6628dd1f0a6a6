export type { Fetch } from './client/connection.ts'
export { httpStore, type HttpStoreOptions } from './client/http-store.ts'
export type { StoreDefinition } from '../worker/store/stores.ts'
