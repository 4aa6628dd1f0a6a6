// As everybody's, with an entry below the package's name: Parcel doesn't read `exports` by default.
import { createAgent, defineTool } from 'offstage'
import { pageTools } from 'offstage/page-tools'
import { openShop } from './shop.js'

void openShop({ createAgent, defineTool, moreTools: pageTools() })
