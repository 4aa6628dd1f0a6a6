import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile()
const { env } = process

export const apiKey = env.OPENAI_API_KEY ?? ''
export const model = env.MODEL || 'gpt-4.1-mini'
export const baseURL = env.UPSTREAM_URL || 'https://api.openai.com/v1'
export const port = Number(env.PORT || 5173)
export const sessionSecret = env.SESSION_SECRET || randomBytes(32).toString('hex')
