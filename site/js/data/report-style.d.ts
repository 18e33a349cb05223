/** Style of all reports, and their first line (src/waypost/report/_style.py). */
export declare const REPORT_STYLE: string;
export declare const BRAND: string;
