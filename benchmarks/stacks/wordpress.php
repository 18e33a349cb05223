<?php
// Runs functions.php of a theme for one made post, into page.html. The functions of WordPress that it calls are here as
// developer.wordpress.org documents them (from general knowledge, not read for this); those of the content are reduced to what they do to quotes.

$actions = [];
function add_action(string $hook, callable $function): void { $GLOBALS['actions'][$hook][] = $function; }
function do_action(string $hook): void { foreach ($GLOBALS['actions'][$hook] ?? [] as $each) { $each(); } }
function is_singular(string $type = ''): bool { return true; }
function get_the_title(): string { return 'Bread &#038; butter &#8220;pudding&#8221;'; }
function get_post_field(string $field): string { return 'Bread & butter "pudding"'; }
function get_the_date(string $format): string { return (new DateTimeImmutable('2026-11-20 08:00:00+00:00'))->format($format ?: 'F j, Y'); }
function get_permalink(): string { return 'https://www.example.com/pudding/'; }
function get_the_author(): string { return 'Mara Lind'; }
function get_the_post_thumbnail_url($post = null, string $size = ''): string { return 'https://www.example.com/img/pudding.jpg'; }
function home_url(string $path = ''): string { return "https://www.example.com$path"; }
function get_bloginfo(string $name): string { return 'Lakeside Kitchen'; }
function wp_json_encode($data, int $flags = 0): string { return json_encode($data, $flags); }
function wptexturize(string $text): string { return preg_replace('/"([^"]*)"/', '&#8220;$1&#8221;', $text); }

$steps = ['site' => 'functions.php', 'mistakes' => 'plugins.php'];
require getcwd() . '/' . $steps[$argv[1]];
ob_start();
do_action('wp_head');
$head = ob_get_clean();
file_put_contents('page.html', "<!doctype html>\n<html lang=\"en\"><head><title>Bread & butter pudding</title>\n$head</head>\n"
    . "<body><h1>Bread & butter “pudding”</h1><p>By Mara Lind, 20 November 2026</p></body></html>\n");
