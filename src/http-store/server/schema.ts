/**
 * The tables, one statement each. The database compares and sorts texts and must tell any two apart. MySQL therefore
 * needs a binary collation, and `LONGTEXT` instead of `TEXT`.
 */
export const STORE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS offstage_tenants (
    tenant VARCHAR(255) NOT NULL PRIMARY KEY,
    store_id VARCHAR(64) NOT NULL,
    epoch BIGINT NOT NULL,
    newest_change BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS offstage_records (
    tenant VARCHAR(255) NOT NULL,
    conversation VARCHAR(255) NOT NULL,
    parent VARCHAR(255),
    updated_at DOUBLE PRECISION NOT NULL,
    last_seq BIGINT NOT NULL,
    newest_change BIGINT NOT NULL,
    record TEXT,
    PRIMARY KEY (tenant, conversation)
  )`,
  'CREATE INDEX IF NOT EXISTS offstage_records_by_time ON offstage_records (tenant, updated_at)',
  'CREATE INDEX IF NOT EXISTS offstage_records_by_change ON offstage_records (tenant, newest_change)',
  'CREATE INDEX IF NOT EXISTS offstage_records_by_parent ON offstage_records (tenant, parent)',
  `CREATE TABLE IF NOT EXISTS offstage_rows (
    tenant VARCHAR(255) NOT NULL,
    conversation VARCHAR(255) NOT NULL,
    seq BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (tenant, conversation, seq)
  )`,
]
