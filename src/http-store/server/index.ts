export {
  createStoreHandler,
  type StoreHandler,
  type StoreHandlerOptions,
  type StoreTenant,
} from './handler.ts'
export type { SqlDatabase, SqlQuery, SqlRow, SqlValue } from './database.ts'
export { postgresDatabase, type PostgresPool } from './database.ts'
export { sqliteDatabase, type RunSqlite } from './database.ts'
export { STORE_SCHEMA } from './database.ts'
