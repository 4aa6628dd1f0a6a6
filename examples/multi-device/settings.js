import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile()
const { env } = process

export const databaseUrl = env.DATABASE_URL ?? ''
export const port = Number(env.PORT || 5174)
export const sessionSecret = env.SESSION_SECRET || randomBytes(32).toString('hex')
