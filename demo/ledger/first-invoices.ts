import { parseInvoice, type Invoice } from './invoice.ts'

/** The sheet of a new visitor: number, customer, date, amount, status, note. Some names are misspelled. */
const rows = `
2001|Alder School|2026-03-03|480.00|paid|Clay, spring term
2002|Harbor Café|2026-03-05|1260.00|paid|Espresso cups
2003|Birch & Sons|2026-03-09|215.50|paid|
2004|Northgate Hotel|2026-03-12|3420.00|paid|Breakfast sets
2005|Mill Lane Bakery|2026-03-18|96.00|paid|
2006|Quarry Museum|2026-03-24|1875.00|paid|Gift shop, first order
2007|harbor cafe|2026-04-02|630.00|paid|
2008|Alder School|2026-04-07|455.00|paid|Kiln firing
2009|Tidewater Spa|2026-04-10|2140.00|paid|Bowls, sage glaze
2010|Lindens Garden|2026-04-15|318.25|paid|
2011|Northgate Hotel|2026-04-21|1140.00|paid|Replacements
2012|Mill Lane Bakery|2026-04-28|132.00|paid|
2013|Birch & Sons|2026-05-05|540.00|overdue|
2014|Harbour Café|2026-05-08|880.00|sent|Saucers
2015|Quarry Museum|2026-05-12|960.00|sent|
2016|Alder School|2026-05-14|720.00|sent|Workshop, two days
2017|Tidewater Spa|2026-05-19|415.00|paid|
2018|Corner Bookshop|2026-05-22|264.00|paid|Mugs with a print
2019|Northgate Hotel|2026-05-27|2280.00|overdue|Room carafes
2020|Lindens Garden|2026-06-02|1190.00|sent|Planters
2021|Harbor Cafe|2026-06-04|745.00|sent|
2022|Mill Lane Bakery|2026-06-09|118.00|paid|
2023|Alder School|2026-06-11|390.00|sent|Glazes
2024|Quarry Museum|2026-06-16|2050.00|overdue|Summer exhibition
2025|Birch & Sons|2026-06-18|325.00|sent|
2026|Corner Bookshop|2026-06-24|188.00|sent|
2027|Tidewater Spa|2026-06-30|1530.00|sent|Second delivery
2028|Northgate Hotel|2026-07-03|905.00|sent|
2029|HARBOR CAFÉ|2026-07-07|1010.00|sent|Terrace plates
2030|Alder School|2026-07-09|610.00|overdue|Summer course
2031|Lindens Garden|2026-07-14|275.00|sent|
2032|Mill Lane Bakery|2026-07-16|84.00|sent|
2033|Quarry Museum|2026-07-21|1320.00|sent|
2034|Birch & Sons|2026-07-23|198.00|draft|Ask about the colour
2035|Corner Bookshop|2026-07-28|342.00|sent|
2036|Tidewater Spa|2026-07-30|680.00|sent|
2037|Northgate Hotel|2026-08-04|1760.00|sent|Suite 12 to 20
2038|Lindens Garden|2026-08-06|455.00|draft|
2039|Corner Bookshop|2026-08-11|127.00|draft|Duplicate of INV-2035?
2040|Harbor Café|2026-08-13|990.00|sent|Autumn menu
`

export const firstInvoices: readonly Invoice[] = rows
  .trim()
  .split('\n')
  .map((row) => {
    const [number, customer = '', date = '', amount = '', status = '', note = ''] = row.split('|')
    return parseInvoice(`INV-${number}`, { customer, date, amount, status, note })
  })
